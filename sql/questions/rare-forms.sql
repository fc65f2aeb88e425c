-- Are forms that occur once harder than frequent ones?
--
-- reads:   item (form, gold, difficulty)
-- params:  none
-- returns: occurrences, forms, items, solved_by, by_none
with counted as (
  select
    *,
    count(*) over (partition by form) as times
  from item
  where gold is not null
)
select
  case
    when times = 1 then '1'
    when times <= 4 then '2-4'
    when times <= 19 then '5-19'
    else '20 and more'
  end as occurrences,
  count(distinct form)::bigint as forms,
  count(*)::bigint as items,
  round(avg(difficulty), 3) as solved_by,
  round(avg((difficulty = 0)::int), 4) as by_none
from counted
group by occurrences
order by
  min(times) nulls last
