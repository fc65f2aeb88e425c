-- How often each answer is given to items that so many raters answer: what chance is made of.
--
-- reads:   pattern (pattern, n, gold), tally (pattern, n, answer), corpus (empty_is_answer)
-- params:  nothing = 'missing', gold = true
-- returns: raters, answer, n
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
    count(*) as times
  from rating
  where
    answer is not null
    or $nothing <> 'missing'
  group by all
),
counted as (
  select
    pattern,
    n,
    answer,
    times,
    sum(times) over (partition by pattern) as raters,
    bool_or(answer is not null) over (partition by pattern) as filled
  from given
)
select
  raters::bigint as raters,
  answer,
  sum(counted.n * times)::bigint as n
from counted
join pattern using (pattern)
cross join corpus
where
  filled
  or $nothing = 'answer'
  or (empty_is_answer and gold is null)
group by all
order by
  raters nulls last,
  answer nulls last
