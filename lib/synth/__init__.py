"""Private synthesizers: MST, AIM, GEM, and each of them stratified.

>>> from lib.synth import MST, Stratified
>>> Stratified(inner=MST(), by=("SEX",)).name
'mst_SEX'
"""

from lib.synth.aim import AIM
from lib.synth.base import Fitted, Synthesizer
from lib.synth.break_even import break_even
from lib.synth.gem import GEM
from lib.synth.mst import MST
from lib.synth.stratified import Stratified
from lib.synth.workload import all_kway, marginal_errors, workload_error
