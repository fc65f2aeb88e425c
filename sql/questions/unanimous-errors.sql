-- On which items do all systems give the same wrong answer: is gold wrong?
--
-- reads:   item (item, form, gold), outcome (item, system, answer)
-- params:  limit = 20
-- returns: item, form, gold, answer, systems
with said as (
  select
    item,
    min(answer::varchar) as answer,
    count(*)::bigint as systems
  from outcome
  group by item
  having
    count(*) = count(answer)
    and min(answer::varchar) = max(answer::varchar)
)
select
  item,
  item.form,
  item.gold,
  said.answer,
  said.systems
from said
join item using (item)
where said.answer is distinct from item.gold::varchar
order by
  item nulls last
limit $limit
