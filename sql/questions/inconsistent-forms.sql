-- Which forms of one gold label does a system label in several ways?
--
-- reads:   answer_list (item, run_set, gold, answers), item (item, form), standing (number, system, correct, place), run_set (run_set, number)
-- params:  system, least = 3, limit = 20
-- returns: form, gold, items, right, answers
--
-- system: the best by default (view standing). - means: no answer.
with chosen_system as (
  select
    number,
    run_set
  from standing
  join run_set using (number)
  where
    standing.system = $system
    or ($system is null and place = 1 and correct > 0)
),
said_by_it as (
  select
    item.form,
    answer_list.gold,
    answer_list.answers[chosen_system.number]::varchar as answer,
    count(*) as n
  from answer_list
  join item using (item)
  join chosen_system using (run_set)
  where answer_list.gold is not null
  group by all
)
select
  form,
  gold,
  sum(n)::bigint as items,
  coalesce(sum(n) filter (answer = gold::varchar), 0)::bigint as right,
  string_agg(coalesce(answer, '-'), ', ' order by coalesce(answer, '-')) as answers
from said_by_it
group by
  form,
  gold
having
  sum(n) >= min($least)
  and count(*) > 1
order by
  items - coalesce(sum(n) filter (answer = gold::varchar), 0) desc nulls last,
  form nulls last,
  gold nulls last
limit $limit
