-- Are forms that occur once harder than frequent ones?
--
-- reads:   item (form, gold, difficulty)
-- params:  none
-- returns: occurrences, forms, items, solved_by, by_none
with counted as (
  select
    form,
    count(*) as times,
    count(difficulty) as judged,
    sum(difficulty) as solved,
    count(*) filter (difficulty = 0) as unsolved
  from item
  where gold is not null
  group by form
)
select
  case
    when times = 1 then '1'
    when times <= 4 then '2-4'
    when times <= 19 then '5-19'
    else '20 and more'
  end as occurrences,
  count(form)::bigint as forms,
  sum(times)::bigint as items,
  round(sum(solved) / sum(judged), 3) as solved_by,
  round(sum(unsolved) / sum(judged), 4) as by_none
from counted
group by occurrences
order by
  min(times) nulls last
