"""Per question one frozen request and one frozen answer.

The command line, the pages, permalinks and ``--show-code`` all read the requests; every renderer reads the answers.
"""
