-- The leaderboard: how much each system has right, precision, recall and F1.
--
-- reads:   tally (n, system, gold, answer, correct, findable)
-- params:  none
-- returns: system, items, correct, tp, fp, fn, precision, recall, f1
--
-- An item is one that gold or the system answers, where nothing is an answer, every item is. A
-- wrong label is false positive (the label given) and false negative (the label of gold).
with counted as (
  select
    system,
    coalesce(sum(n) filter (findable or answer is not null), 0)::bigint as items,
    coalesce(sum(n) filter (correct and findable), 0)::bigint as correct,
    coalesce(sum(n) filter (correct and gold is not null), 0)::bigint as tp,
    coalesce(sum(n) filter (answer is not null and not correct), 0)::bigint as fp,
    coalesce(sum(n) filter (gold is not null and not correct), 0)::bigint as fn
  from tally
  group by system
)
select
  system,
  items,
  correct,
  tp,
  fp,
  fn,
  tp / nullif(tp + fp, 0) as precision,
  tp / nullif(tp + fn, 0) as recall,
  2 * tp / nullif(2 * tp + fp + fn, 0) as f1
from counted
order by
  f1 desc nulls last,
  system nulls last
