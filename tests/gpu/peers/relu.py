import torch

from peer_case import elementwise, vector_size

case = elementwise(torch.relu)
random_size = vector_size
