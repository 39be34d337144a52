"""A file in another one as the sandbox describes it to the main process, which believes nothing of it."""

import msgspec


class Attachment(msgspec.Struct, frozen=True, array_like=True):
    """An attachment: the folder of its message in an archive of mails, its name, its size, why it is closed; where its
    message begins and ends (-1: it is the file), and its number there. `plain`: it is a PDF without files in it. Then
    the subject, sender and date of its mail."""

    folder: str
    name: str
    size: int
    closed: str
    begin: int
    end: int
    number: int
    plain: bool = False
    subject: str = ""
    author: str = ""
    date: str = ""
