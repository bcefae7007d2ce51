-- Splits the queue `notion-event` into one queue for each kind of its jobs. The kind is the prefix
-- of the key, which does not change.
update job set queue = 'notion-' || split_part(key, ':', 1)
where queue = 'notion-event' and split_part(key, ':', 1) in ('read', 'walk', 'review', 'removal');
