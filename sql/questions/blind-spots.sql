-- Which forms does a system always get wrong that others get right?
--
-- reads:   answer_list (item, run_set, gold, answers), item (item, form, difficulty), standing (number, system, correct, place), run_set (run_set, number)
-- params:  system, least = 3, limit = 20
-- returns: form, items, solved_by
--
-- system: the best by default (view standing).
with chosen_system as (
  select
    number,
    run_set
  from standing
  join run_set using (number)
  where
    standing.system = $system
    or ($system is null and place = 1 and correct > 0)
)
select
  item.form,
  count(*)::bigint as items,
  round(avg(item.difficulty), 2) as solved_by
from answer_list
join item using (item)
join chosen_system using (run_set)
where answer_list.gold is not null
group by item.form
having
  count(*) >= min($least)
  and count(*) filter (answer_list.answers[chosen_system.number] = answer_list.gold) = 0
order by
  solved_by desc nulls last,
  items desc nulls last,
  form nulls last
limit $limit
