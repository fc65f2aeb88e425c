-- How often two raters, gold among them, give which two answers: what kappa is computed from.
--
-- reads:   pattern (pattern, n, gold), tally (pattern, n, number, system, answer)
-- params:  nothing = 'missing'
-- returns: a, b, answer_a, answer_b, n
--
-- nothing, what a missing answer means: missing (that rater does not rate the item), slot (it is an
-- answer, but an item that two raters both leave out does not count for them), answer (an answer
-- like any other).
with rating as (
  select
    pattern,
    n,
    0 as number,
    'gold' as rater,
    gold as answer
  from pattern
  union all
  select
    pattern,
    n,
    number,
    system as rater,
    answer
  from tally
)
select
  a.rater as a,
  b.rater as b,
  a.answer as answer_a,
  b.answer as answer_b,
  sum(a.n)::bigint as n
from rating as a
join rating as b on b.pattern = a.pattern and b.number > a.number
where case $nothing
  when 'answer' then true
  when 'slot' then a.answer is not null or b.answer is not null
  else a.answer is not null and b.answer is not null
end
group by all
order by
  a nulls last,
  b nulls last,
  answer_a nulls last,
  answer_b nulls last
