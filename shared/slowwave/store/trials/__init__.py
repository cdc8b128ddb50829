"""Episodes and beliefs as a trial reads them, in transactions that can write nothing."""
