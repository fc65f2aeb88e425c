-- What each system answers to the items of each pattern: a row for each pattern and system run on it.
--
-- reads:   pattern (pattern, n, run_set, gold, one column per system), system (number, system, column_name, judge), run_set (run_set, number), corpus (empty_is_answer)
-- params:  none
-- returns: pattern, n, number, system, judge, gold, answer, label_gold, label, correct, findable
--
-- correct: the answer is gold's, nothing where gold has nothing. findable: gold has an answer, or
-- nothing is an answer too (as for tokens). label_gold and label are what tables show of answers.
select
  said.pattern,
  said.n,
  system.number,
  system.system,
  system.judge,
  said.gold,
  said.answer,
  said.gold as label_gold,
  said.answer as label,
  said.gold is not distinct from said.answer as correct,
  said.gold is not null or corpus.empty_is_answer as findable
from (
  from pattern
  unpivot include nulls (answer for name in (columns(* exclude (pattern, n, run_set, gold))))
) as said
join system on system.column_name = said.name
semi join run_set on run_set.run_set = said.run_set and run_set.number = system.number
cross join corpus
