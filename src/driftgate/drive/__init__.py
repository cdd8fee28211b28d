"""Drive one consumer against one upstream and write down what happened.

Everything that can change a trace lives in this package: the store of traces keeps them by
these files' bytes, beside the consumer's, the upstream's and the environment's.
Nothing here judges; contracts do, from traces alone.
"""
