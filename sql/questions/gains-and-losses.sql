-- What does one system correct or newly get wrong against another, by label of gold?
--
-- reads:   tally (pattern, n, number, system, gold, answer, correct)
-- params:  before, after
-- returns: label, corrections, new_errors, changed_errors, net
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
  a.gold as label,
  coalesce(sum(a.n) filter (b.correct and not a.correct), 0)::bigint as corrections,
  coalesce(sum(a.n) filter (a.correct and not b.correct), 0)::bigint as new_errors,
  coalesce(sum(a.n) filter (not a.correct and not b.correct), 0)::bigint as changed_errors,
  corrections - new_errors as net
from two
join tally as a on a.system = two.before
join tally as b on b.system = two.after and b.pattern = a.pattern
where a.answer is distinct from b.answer
group by a.gold
order by
  net desc nulls last,
  label nulls last
