-- The same where tables show another label than the answer: the relation of a head, a bucket.
--
-- reads:   pattern (pattern, n, run_set, gold, one column per system), shown (pattern, gold, one column per system), system (number, system, column_name, judge), corpus (empty_is_answer)
-- params:  none
-- returns: pattern, n, number, system, judge, gold, answer, label_gold, label, correct, findable
select
  said.pattern,
  said.n,
  system.number,
  system.system,
  system.judge,
  said.gold,
  said.answer,
  told.gold as label_gold,
  told.label,
  said.gold is not distinct from said.answer as correct,
  said.gold is not null or corpus.empty_is_answer as findable
from (
  from pattern
  unpivot include nulls (answer for name in (columns(* exclude (pattern, n, run_set, gold))))
) as said
join (
  from shown
  unpivot include nulls (label for name in (columns(* exclude (pattern, gold))))
) as told using (pattern, name)
join system on system.column_name = said.name
cross join corpus
