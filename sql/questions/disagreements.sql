-- Where do two systems disagree most: which answers do they give instead?
--
-- reads:   tally (pattern, n, number, system, gold, answer, correct)
-- params:  before, after, limit = 20
-- returns: answer_before, answer_after, items, before_right, after_right, both_wrong
--
-- before and after: the second best system and the best by default.
with ranked as (
  select
    system,
    row_number() over (
      order by
        sum(n) filter (correct and gold is not null) desc nulls last,
        min(number)
    ) as place
  from tally
  group by system
),
two as (
  select
    coalesce($before, (select system from ranked where place = 2)) as before,
    coalesce($after, (select system from ranked where place = 1)) as after
)
select
  a.answer as answer_before,
  b.answer as answer_after,
  sum(a.n)::bigint as items,
  coalesce(sum(a.n) filter (a.correct), 0)::bigint as before_right,
  coalesce(sum(a.n) filter (b.correct), 0)::bigint as after_right,
  coalesce(sum(a.n) filter (not a.correct and not b.correct), 0)::bigint as both_wrong
from two
join tally as a on a.system = two.before
join tally as b on b.system = two.after and b.pattern = a.pattern
where a.answer is distinct from b.answer
group by all
order by
  items desc nulls last,
  answer_before nulls last,
  answer_after nulls last
limit $limit
