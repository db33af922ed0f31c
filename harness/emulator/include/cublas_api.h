#pragma once
// Everything is in <cublas_v2.h>.
#include "cublas_v2.h"
