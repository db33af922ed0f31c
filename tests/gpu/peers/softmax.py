import torch

from peer_case import elementwise, vector_size

case = elementwise(lambda x: torch.softmax(x, 0))
random_size = vector_size
