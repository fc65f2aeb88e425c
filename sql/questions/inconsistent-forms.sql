-- Which forms of one gold label does a system label in several ways?
--
-- reads:   answer_list (item, gold, answers), item (item, form), standing (number, system, correct, place)
-- params:  system, least = 3, limit = 20
-- returns: form, gold, items, right, answers
--
-- system: the one with most right by default. - means: no answer.
with chosen_system as (
  select number
  from standing
  where
    system = $system
    or ($system is null and place = 1 and correct > 0)
),
said_by_it as (
  select
    answer_list.item,
    answer_list.gold,
    answer_list.answers[chosen_system.number] as answer
  from answer_list
  cross join chosen_system
)
select
  item.form,
  said_by_it.gold,
  count(*)::bigint as items,
  count(*) filter (said_by_it.answer = said_by_it.gold)::bigint as right,
  string_agg(distinct coalesce(said_by_it.answer::varchar, '-'), ', '
    order by coalesce(said_by_it.answer::varchar, '-')) as answers
from said_by_it
join item using (item)
where said_by_it.gold is not null
group by
  item.form,
  said_by_it.gold
having
  count(*) >= min($least)
  and count(distinct coalesce(said_by_it.answer::varchar, '-')) > 1
order by
  items - count(*) filter (said_by_it.answer = said_by_it.gold) desc nulls last,
  form nulls last,
  gold nulls last
limit $limit
