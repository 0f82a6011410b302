"""Test a table of your own, or a release of it, for demographic coherence.

A :mod:`~lib.audit.request` names the question, and a :mod:`~lib.audit.table` has the people and a
:mod:`~lib.audit.release` of them. Then a curator asks:

- who is exposed? :mod:`~lib.audit.exposure`
- could it have been seen? :mod:`~lib.audit.power`
- what is certain? :mod:`~lib.audit.certify`, and :mod:`~lib.audit.theorems` of any learner
- what to do? :mod:`~lib.audit.words`, on the page of :mod:`~lib.audit.report`
"""
