"""What all queues share: the state of a queue, and what a queue workflow provides."""
