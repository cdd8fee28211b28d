"""What a release does inside, where its signatures do not show it.

Read from source text as surfaces are: nothing is imported or run.
"""
