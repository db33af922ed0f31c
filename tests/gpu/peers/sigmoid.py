import torch

from peer_case import elementwise, vector_size

case = elementwise(torch.sigmoid)
random_size = vector_size
