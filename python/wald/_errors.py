"""Exceptions and warnings. A message is the sentence the program `wald` prints for the same mistake."""


class Error(Exception):
    """Anything Wald refuses: what happened, and in `cure` what to do about it."""

    def __init__(self, message="", cure=""):
        super().__init__(message, cure)
        self.message, self.cure = message, cure

    def __str__(self):
        return f"{self.message}: {self.cure}" if self.cure else self.message


class Failure(Error, RuntimeError):
    """Something outside went wrong: a file that cannot be written, say."""


class UsageError(Error, ValueError):
    """An option, a column or a learner that is not there, or a value out of its range."""


class DataError(Error, ValueError):
    """A table that cannot be learned from or predicted."""


class ModelError(Error, ValueError):
    """A model file that is damaged, or of a later version."""


class PrivacyError(Error, ValueError):
    """What a private model must not tell."""


class Interrupted(Error, RuntimeError):
    """Stopped before there was anything to keep."""


class DataWarning(UserWarning):
    """Something in a table that a prediction had to work around."""


class PrivacyWarning(UserWarning):
    """Something that a private model tells and nobody keeps account of."""


class InterruptWarning(UserWarning):
    """Training was interrupted; the model is what had been learned by then."""


_KINDS = {1: Failure, 2: UsageError, 3: DataError, 4: ModelError, 5: PrivacyError, 130: Interrupted}


def made(kind, message, cure):
    """The exception for an error of the library."""
    return _KINDS.get(kind, Failure)(message, cure)
