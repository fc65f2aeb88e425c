-- In which sentences do two systems differ most?
--
-- reads:   answer_list (item, run_set, gold, answers), standing (number, system, place), run_set (run_set, number), item (item, sentence)
-- params:  before, after, limit = 10
-- returns: sentence, items, different, before_right, after_right
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
  item.sentence,
  count(*)::bigint as items,
  count(*) filter (two.before_answer is distinct from two.after_answer)::bigint as different,
  count(*) filter (two.before_answer = two.gold)::bigint as before_right,
  count(*) filter (two.after_answer = two.gold)::bigint as after_right
from two
join item using (item)
group by item.sentence
order by
  different desc nulls last,
  sentence nulls last
limit $limit
