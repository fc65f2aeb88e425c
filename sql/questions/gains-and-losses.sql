-- What does one system correct or newly get wrong against another, by label of gold?
--
-- reads:   answer_list (item, run_set, gold, answers), standing (number, system, place), run_set (run_set, number)
-- params:  before, after
-- returns: label, corrections, new_errors, changed_errors, net
--
-- before and after: the second best system and the best by default.
with before_system as (
  select
    number,
    run_set
  from standing
  join run_set using (number)
  where
    standing.system = $before
    or ($before is null and place = 2)
),
after_system as (
  select
    number,
    run_set
  from standing
  join run_set using (number)
  where
    standing.system = $after
    or ($after is null and place = 1)
),
two as (
  select
    answer_list.item,
    answer_list.gold,
    answer_list.answers[before_system.number] as before_answer,
    answer_list.answers[after_system.number] as after_answer
  from answer_list
  join before_system using (run_set)
  join after_system using (run_set)
)
select
  gold as label,
  count(*) filter (after_answer is not distinct from gold)::bigint as corrections,
  count(*) filter (before_answer is not distinct from gold)::bigint as new_errors,
  count(*) filter (
    before_answer is distinct from gold
    and after_answer is distinct from gold
  )::bigint as changed_errors,
  corrections - new_errors as net
from two
where before_answer is distinct from after_answer
group by gold
order by
  net desc nulls last,
  label nulls last
