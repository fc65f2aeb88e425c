-- Where do two systems disagree most: which answers do they give instead?
--
-- reads:   answer_list (item, run_set, gold, answers), standing (number, system, place), run_set (run_set, number)
-- params:  before, after, limit = 20
-- returns: answer_before, answer_after, items, before_right, after_right, both_wrong
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
  before_answer as answer_before,
  after_answer as answer_after,
  count(*)::bigint as items,
  count(*) filter (before_answer is not distinct from gold)::bigint as before_right,
  count(*) filter (after_answer is not distinct from gold)::bigint as after_right,
  count(*) filter (
    before_answer is distinct from gold
    and after_answer is distinct from gold
  )::bigint as both_wrong
from two
where before_answer is distinct from after_answer
group by all
order by
  items desc nulls last,
  answer_before nulls last,
  answer_after nulls last
limit $limit
