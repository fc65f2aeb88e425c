-- On which items do all systems give the same wrong answer: is gold wrong?
--
-- reads:   item (item, form), answer_list (item, gold, answers)
-- params:  limit = 20
-- returns: item, form, gold, answer, systems
with same as (
  select
    item,
    gold,
    answers[1] as answer,
    len(answers)::bigint as systems
  from answer_list
  where
    answers[1] is distinct from gold
    and list_aggregate(answers, 'count') = len(answers)
    and list_aggregate(answers, 'min') = list_aggregate(answers, 'max')
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
