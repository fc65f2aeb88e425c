-- All raters at once: items by how many raters answer them, and on how many pairs of these agree.
--
-- reads:   pattern (pattern, n, gold), tally (pattern, n, answer), corpus (empty_is_answer)
-- params:  nothing = 'missing', gold = true
-- returns: raters, items, agreed
--
-- gold says whether gold is a rater. nothing is as for agree-pairs.
with rating as (
  select
    pattern,
    n,
    answer
  from tally
  union all
  select
    pattern,
    n,
    gold as answer
  from pattern
  where $gold
),
given as (
  select
    pattern,
    n,
    answer,
    answer is not null or $nothing <> 'missing' as rates,
    count(*) as times
  from rating
  group by all
),
item as (
  select
    pattern,
    n,
    coalesce(sum(times) filter (rates), 0) as raters,
    coalesce(sum(times * (times - 1) // 2) filter (rates), 0) as agreed,
    bool_or(answer is not null) as filled
  from given
  group by all
)
select
  raters::bigint as raters,
  sum(item.n)::bigint as items,
  sum(item.n * agreed)::bigint as agreed
from item
join pattern using (pattern)
cross join corpus
where
  filled
  or $nothing = 'answer'
  or case when $nothing = 'missing' then gold is not null else gold is null and empty_is_answer end
group by all
order by raters nulls last
