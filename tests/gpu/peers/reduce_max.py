import torch

from peer_case import reduction, vector_size

case = reduction(torch.amax)
random_size = vector_size
