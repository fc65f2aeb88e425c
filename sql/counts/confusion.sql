-- Confusion of labels: how often each system gives each answer where gold has each label.
--
-- reads:   answers (item, gold, one column per system)
-- params:  none
-- returns: system, gold, answer, n
--
-- Labels and their codes both do: values are only grouped.
select
  system,
  gold,
  answer,
  count(*)::bigint as n
from answers
unpivot include nulls (answer for system in (columns(* exclude (item, gold))))
group by all
order by
  system nulls last,
  gold nulls last,
  answer nulls last
