-- Which labels are hardest: how many systems solve an item of each on average?
--
-- reads:   item (gold, difficulty)
-- params:  least = 1
-- returns: label, items, solved_by, by_none
select
  gold as label,
  count(*)::bigint as items,
  round(avg(difficulty), 3) as solved_by,
  round(avg((difficulty = 0)::int), 4) as by_none
from item
where gold is not null
group by gold
having count(*) >= min($least)
order by
  solved_by nulls last,
  label nulls last
