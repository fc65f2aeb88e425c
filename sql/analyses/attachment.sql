-- One metric of trees: words that gold has, that the system has, that agree, that are aligned.
--
-- reads:   tally (n, system, gold, answer, label, correct)
-- params:  none
-- returns: system, correct, gold, predicted, aligned
--
-- Answers are what the metric compares (las: relation and head, uas: head, clas: those of content
-- words …), label is null where the system does not have the word at all.
select
  system,
  coalesce(sum(n) filter (correct and gold is not null), 0)::bigint as correct,
  coalesce(sum(n) filter (tally.gold is not null), 0)::bigint as gold,
  coalesce(sum(n) filter (answer is not null), 0)::bigint as predicted,
  coalesce(sum(n) filter (tally.gold is not null and label is not null), 0)::bigint as aligned
from tally
group by system
order by system nulls last
