import torch

from peer_case import elementwise, vector_size

case = elementwise(torch.add, 2)
random_size = vector_size
