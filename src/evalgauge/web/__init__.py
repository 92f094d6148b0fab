"""Local web pages: the calculators and the views of logs, each over the job that the command line asks too."""
