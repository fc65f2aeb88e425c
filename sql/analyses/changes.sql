-- From which label to which: corrections and errors of every pair of systems by what they change.
--
-- reads:   tally (pattern, n, system, answer, label_gold, label, correct), pair (before, after)
-- params:  none
-- returns: before, after, kind, gold, label_before, label_after, n
--
-- gold is null unless both are wrong: else it is what one of the two says.
select
  pair.before,
  pair.after,
  case
    when b.correct then 'correction'
    when a.correct then 'new error'
    else 'changed error'
  end as kind,
  case when kind = 'changed error' then a.label_gold end as gold,
  a.label as label_before,
  b.label as label_after,
  sum(a.n)::bigint as n
from pair
join tally as a on a.system = pair.before
join tally as b on b.system = pair.after and b.pattern = a.pattern
where a.answer is distinct from b.answer
group by all
order by
  before nulls last,
  after nulls last,
  kind nulls last,
  gold nulls last,
  label_before nulls last,
  label_after nulls last
