-- On which items do all systems give the same wrong answer: is gold wrong?
--
-- reads:   item (item, form), answer_list (item, run_set, gold, answers), run_set (run_set, number)
-- params:  limit = 20
-- returns: item, form, gold, answer, systems
with run_size as (
  select
    run_set,
    count(*)::bigint as systems
  from run_set
  group by run_set
),
same as (
  select
    item,
    gold,
    list_aggregate(answers, 'min') as answer,
    systems
  from answer_list
  join run_size using (run_set)
  where
    answer is distinct from gold
    and list_aggregate(answers, 'count') = systems
    and answer = list_aggregate(answers, 'max')
)
select
  item,
  item.form,
  same.gold,
  same.answer,
  same.systems
from same
join item using (item)
order by
  item nulls last
limit $limit
