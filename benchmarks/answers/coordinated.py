"""Sentences about records with several facts in one sentence: what each clause says, and what only a mix says.

    python benchmarks/answers/coordinated.py [--set NAME] [--vectors] [--show]

Each record pairs figures, names, permissions or conditions with their own clause. A right sentence restates
one clause, a wrong one takes a word from another clause, turns a condition, a bound, a unit, an order or a
denial.

The seventh and the ninth set decide (`--set seventh`, `--set ninth`): of them only tables were read, no single
mistake, and nothing is fitted on them. The others were looked at while signs and numbers were made (`fit_support.py`);
without `--set` these are measured. The ninth has other domains than the eighth and the tenth, by the same author; its
records about Prometheus and PowerShell are sentences of their documentation, some shortened.

Wrongly verified: a wrong sentence that is `verified`; doubted: a right one that is `unverified`. In brackets the
interval in which the share lies in 95 of 100 such samples.
"""

import argparse
import asyncio
import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragstone.answering.verification.support import GroundingContext, SentencePair, SupportFinding
from ragstone.core.ports import Embedder
from ragstone.core.types import Chunk, Document, Span
from ragstone.providers import make_embedder

FITTED = ("third", "fourth", "fifth", "sixth", "eighth", "tenth")  # in a file each
JUDGES = ("seventh", "ninth")  # measured only where they are named


@dataclass(frozen=True)
class Record:
    """A record of a kind, with sentences that it supports and sentences that it does not."""

    kind: str
    text: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    structure: str = ""
    domain: str = ""


def read_file(name: str) -> list[Record]:
    """The records of a file beside this one; right sentences count under `right`, each wrong one under its kind."""
    out = []
    for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        about = entry.get("structure", ""), entry.get("domain", "")
        out.append(Record("right", entry["record"], tuple(entry["right"]), (), *about))
        out += [Record(kind, entry["record"], (), (sentence,), *about) for sentence, kind in entry["wrong"]]
    return out


def _read_records(text: str) -> list[Record]:
    """Blocks of lines: `kind: record`, then `+ right` and `- wrong` sentences."""
    out = []
    for block in text.strip().split("\n\n"):
        head, *lines = block.splitlines()
        kind, record = head.split(": ", 1)
        sides = {mark: tuple(line[2:] for line in lines if line.startswith(mark)) for mark in "+-"}
        out.append(Record(kind, record, sides["+"], sides["-"]))
    return out


FIRST = _read_records("""
figure: Tickets cost 12 euros for adults and 7 euros for children.
+ Tickets cost 7 euros for children.
+ Tickets cost 12 euros for adults.
+ Adults pay 12 euros for tickets.
+ For children, tickets cost 7 euros.
+ Tickets are 12 euros for adults and 7 for children.
- Tickets cost 12 euros for children.
- Tickets cost 7 euros for adults.
- For adults, tickets cost 7 euros.
- Tickets are 7 euros for adults and 12 for children.

figure: The museum opens at 9 am on weekdays and at 11 am on Sundays.
+ The museum opens at 9 am on weekdays.
+ On Sundays the museum opens at 11 am.
- The museum opens at 11 am on weekdays.
- On Sundays the museum opens at 9 am.

figure: Standard support answers within 8 hours, while premium support answers within 30 minutes.
+ Premium support answers within 30 minutes.
+ Standard support answers within 8 hours.
- Premium support answers within 8 hours.
- Standard support answers within 30 minutes.

figure: Domestic travel is paid up to 400 dollars, international travel up to 1,500 dollars, training up to 900 dollars.
+ International travel is paid up to 1,500 dollars.
+ Training is paid up to 900 dollars.
+ Domestic travel is paid up to 400 dollars.
- International travel is paid up to 900 dollars.
- Training is paid up to 1,500 dollars.
- Domestic travel is paid up to 900 dollars.

figure: The left tank holds 40 litres; the right tank holds 65 litres.
+ The right tank holds 65 litres.
+ 40 litres fit into the left tank.
- The right tank holds 40 litres.
- The left tank holds 65 litres.

figure: Sales rose by 4 percent in Europe but fell by 9 percent in Asia.
+ Sales rose by 4 percent in Europe.
+ In Asia sales fell by 9 percent.
- Sales rose by 9 percent in Europe.
- In Asia sales fell by 4 percent.
- Sales fell by 9 percent in Europe.

name: Alice Kern leads the Berlin office and Bruno Vidal leads the Lisbon office.
+ Bruno Vidal leads the Lisbon office.
+ The Berlin office is led by Alice Kern.
- Alice Kern leads the Lisbon office.
- The Berlin office is led by Bruno Vidal.

name: Backups are stored in Frankfurt, logs in Dublin, and archives in Oslo.
+ Logs are stored in Dublin.
+ Archives are stored in Oslo.
- Logs are stored in Oslo.
- Archives are stored in Frankfurt.
- Backups are stored in Dublin.

name: The parser was written by Meyer, whereas Ortiz wrote the scheduler.
+ Ortiz wrote the scheduler.
+ The parser was written by Meyer.
- Meyer wrote the scheduler.
- The parser was written by Ortiz.

permission: Administrators may delete projects; users may only read them.
+ Administrators may delete projects.
+ Users may only read projects.
- Users may delete projects.
- Administrators and users may delete projects.

permission: Only administrators may delete a project.
+ Administrators may delete a project.
+ A project may be deleted only by administrators.
- Administrators and users may delete a project.
- Users may delete a project.

permission: Managers approve invoices and accountants pay them.
+ Managers approve invoices.
+ Accountants pay invoices.
- Accountants approve invoices.
- Managers and accountants approve invoices.

condition: The service restarts automatically unless the patch is hot.
+ The service restarts automatically unless the patch is hot.
+ Unless the patch is hot, the service restarts automatically.
- The service restarts automatically even when the patch is hot.
- The service restarts automatically if the patch is hot.
- The service restarts automatically only if the patch is hot.

condition: Refunds are paid only if the ticket was not used.
+ Refunds are paid if the ticket was not used.
- Refunds are paid even if the ticket was used.
- Refunds are paid unless the ticket was not used.

condition: All rooms except the library are heated.
+ All rooms are heated except the library.
- All rooms including the library are heated.
- The library is heated.

condition: The lamp is lit when the door is open.
+ When the door is open, the lamp is lit.
- The lamp is lit unless the door is open.

bound: A password needs at least 12 characters.
+ A password must have at least 12 characters.
+ A password needs 12 or more characters.
- A password needs at most 12 characters.
- A password needs fewer than 12 characters.
- A password may have up to 12 characters.

bound: Files of up to 50 MB are accepted.
+ Files of at most 50 MB are accepted.
+ Files up to 50 MB are accepted.
- Files of at least 50 MB are accepted.
- Files of more than 50 MB are accepted.

bound: Accounts that were idle for more than 90 days are closed.
+ Accounts that were idle for over 90 days are closed.
- Accounts that were idle for less than 90 days are closed.

yes-no: The basic plan includes e-mail support but not phone support.
+ The basic plan includes e-mail support.
+ The basic plan does not include phone support.
- The basic plan includes phone support.
- The basic plan does not include e-mail support.

yes-no: Guests can view the calendar but cannot edit it.
+ Guests can view the calendar.
+ Guests cannot edit the calendar.
- Guests can edit the calendar.
- Guests cannot view the calendar.

yes-no: Windows is supported, macOS is not.
+ Windows is supported.
+ macOS is not supported.
- macOS is supported.
- Windows is not supported.

unit: The route is 42 kilometres long and takes 3 hours.
+ The route takes 3 hours.
+ The route is 42 kilometres long.
- The route takes 42 hours.
- The route is 3 kilometres long.

negation: The fee is not refundable after departure, but it is refundable before departure.
+ The fee is refundable before departure.
+ After departure the fee is not refundable.
- The fee is refundable after departure.
- The fee is not refundable before departure.
""")

SECOND = _read_records("""
figure: Members borrow books for 28 days and films for 5 days.
+ Films are borrowed for 5 days.
+ Members borrow books for 28 days.
+ Members may keep books for 28 days and films for 5 days.
- Members borrow films for 28 days.
- Members borrow books for 5 days.
- Members borrow books for 5 days and films for 28 days.

figure: Employees with under five years of service get 20 days of leave, those with more get 26 days.
+ Employees with under five years of service get 20 days of leave.
- Employees with under five years of service get 26 days of leave.

figure: In 2019 the company had 310 employees, and in 2023 it had 480.
+ In 2023 the company had 480 employees.
+ The company had 310 employees in 2019.
- In 2023 the company had 310 employees.
- The company had 480 employees in 2019.

figure: Port 8080 serves the interface, port 9090 the metrics.
+ Port 9090 serves the metrics.
+ The interface is served on port 8080.
- Port 8080 serves the metrics.
- The interface is served on port 9090.

figure: The small hall seats 80 people; 350 people fit into the large hall.
+ The small hall seats 80 people.
+ The large hall seats 350 people.
- The small hall seats 350 people.
- 80 people fit into the large hall.

figure: Write timeouts default to 10 seconds, read timeouts to 60 seconds, and connect timeouts to 3 seconds.
+ Read timeouts default to 60 seconds.
+ Connect timeouts default to 3 seconds.
- Read timeouts default to 10 seconds.
- Write timeouts default to 3 seconds.
- Connect timeouts default to 60 seconds.

name: Insulin is produced in the pancreas and bile in the liver.
+ Bile is produced in the liver.
+ Insulin is produced in the pancreas.
- Bile is produced in the pancreas.
- Insulin is produced in the liver.

name: Dr. Haas treats patients on Mondays, and Dr. Lund treats them on Fridays.
+ Dr. Lund treats patients on Fridays.
+ Dr. Haas treats patients on Mondays.
- Dr. Haas treats patients on Fridays.
- On Mondays, Dr. Lund treats patients.

name: Invoices go to Vienna; contracts go to Zurich.
+ Contracts go to Zurich.
+ Invoices are sent to Vienna.
- Contracts go to Vienna.
- Invoices are sent to Zurich.

name: The north wing houses the laboratory, the south wing the canteen.
+ The south wing houses the canteen.
+ The laboratory is in the north wing.
- The south wing houses the laboratory.
- The canteen is in the north wing.

permission: Editors can publish articles, authors can only submit drafts.
+ Editors can publish articles.
+ Authors can submit drafts.
- Authors can publish articles.
- Authors and editors can publish articles.

permission: Nurses give the injections and doctors prescribe them.
+ Doctors prescribe the injections.
+ Nurses give the injections.
- Nurses prescribe the injections.
- Nurses and doctors prescribe the injections.

permission: The vault is opened by the director alone.
+ The director opens the vault.
- The director and the deputy open the vault.

condition: Packages are delivered on Saturdays except in December.
+ Except in December, packages are delivered on Saturdays.
- Packages are delivered on Saturdays even in December.
- Packages are delivered on Saturdays only in December.

condition: Do not restart the node unless replication has finished.
+ Restart the node only if replication has finished.
- Restart the node even if replication has not finished.
- Do not restart the node if replication has finished.

condition: The bonus is paid if the target is reached.
+ If the target is reached, the bonus is paid.
- The bonus is paid even if the target is not reached.
- The bonus is paid unless the target is reached.

condition: The pump stops when the pressure is too high.
+ When the pressure is too high, the pump stops.
- The pump stops unless the pressure is too high.

bound: Participants must be at least 18 years old.
+ Participants must be 18 years or older.
+ Participants have to be at least 18 years old.
- Participants must be at most 18 years old.
- Participants must be under 18 years old.

bound: Deliveries take no more than 5 days.
+ Deliveries take at most 5 days.
+ Deliveries take up to 5 days.
- Deliveries take more than 5 days.
- Deliveries take at least 5 days.

bound: Requests below 200 euros need no approval.
+ Requests under 200 euros need no approval.
- Requests above 200 euros need no approval.

yes-no: The lock works with cards but not with phones.
+ The lock works with cards.
+ The lock does not work with phones.
- The lock works with phones.
- The lock does not work with cards.

yes-no: Dogs are allowed in the garden; they are not allowed in the house.
+ Dogs are allowed in the garden.
+ Dogs are not allowed in the house.
- Dogs are allowed in the house.
- Dogs are not allowed in the garden.

yes-no: You may print the report, though you may not forward it.
+ You may print the report.
+ You may not forward the report.
- You may forward the report.
- You may not print the report.

unit: The beam weighs 90 kilograms and is 4 metres long.
+ The beam weighs 90 kilograms.
+ The beam is 4 metres long.
- The beam is 90 metres long.
- The beam weighs 4 kilograms.

negation: Salaries are not taxed abroad but are taxed at home.
+ Salaries are taxed at home.
+ Salaries are not taxed abroad.
- Salaries are taxed abroad.
- Salaries are not taxed at home.
""")


async def _cosines(embedder: Embedder, pairs: Sequence[SentencePair]) -> dict[SentencePair, float]:
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = dict(zip(texts, await embedder.embed(texts), strict=True))
    return {(a, b): float(vectors[a] @ vectors[b]) for a, b in pairs}


def main() -> None:
    """Print a line for each kind, of each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", action="store_true", help="let the built-in model's cosines decide too")
    parser.add_argument("--set", help="only this one: first … tenth")
    parser.add_argument("--show", action="store_true", help="show the mistakes")
    args = parser.parse_args()
    embedder = make_embedder("minilm") if args.vectors else None
    sets = {
        "first": FIRST,
        "second": SECOND,
        **{name: read_file(f"coordinated_{name}.jsonl") for name in (*FITTED, *JUDGES)},
    }
    for name, records in sets.items():
        if (args.set or name) != name or (name in JUDGES and not args.set):
            continue
        print(f"\n{name} records{', with cosines' if embedder else ''}")
        asyncio.run(_report(records, embedder, show=args.show))


async def _report(records: list[Record], embedder: Embedder | None, *, show: bool) -> None:
    verified: dict[str, list[bool]] = defaultdict(list)
    doubted: dict[str, list[bool]] = defaultdict(list)
    for record in records:
        for sentence in (*record.right, *record.wrong):
            finding = await _check(record, sentence, embedder)
            is_right = sentence in record.right
            mistaken = (finding.status == "unverified") == is_right
            for group in (record.kind, record.structure, record.domain, "all"):
                (doubted if is_right else verified)[group].append(mistaken)
            if show and mistaken:
                about = [(one.code, one.said, one.stands) for one in finding.about]
                print(f"    {'doubted' if is_right else 'WRONGLY VERIFIED'} {finding.why} {about} {finding.odds}")
                print(f"      {record.text}\n      {sentence}")
    for group in (
        *sorted({record.kind for record in records}),
        *sorted({record.structure for record in records} - {""}),
        *sorted({record.domain for record in records} - {""}),
        "all",
    ):
        print(f"{group:24} wrongly verified {_share(verified[group])}  doubted {_share(doubted[group])}")


def as_chunk(text: str) -> Chunk:
    """A record as a chunk."""
    return Chunk("c", Document("d", "records", "record.md", 1, "", ""), 0, text, (Span(0, len(text), 1, 1),))


async def _check(record: Record, sentence: str, embedder: Embedder | None) -> SupportFinding:
    grounds = GroundingContext([as_chunk(record.text)])
    finding = grounds.check(sentence, [0])
    if embedder is None or not finding.pairs:
        return finding
    return grounds.check(sentence, [0], similar=await _cosines(embedder, finding.pairs))


def _share(mistakes: list[bool]) -> str:
    """A share with the interval in which it lies in 95 of 100 such samples (Wilson)."""
    if not mistakes:
        return "   - of   0             "
    size, share, z = len(mistakes), sum(mistakes) / len(mistakes), 1.96
    middle = (share + z * z / (2 * size)) / (1 + z * z / size)
    reach = z * math.sqrt(share * (1 - share) / size + z * z / (4 * size * size)) / (1 + z * z / size)
    return f"{share:.3f} of {size:3} ({middle - reach:.3f}-{middle + reach:.3f})"


if __name__ == "__main__":
    main()
