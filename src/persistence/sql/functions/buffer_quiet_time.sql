-- Learns how a candidate pauses from the messages that came since it was last called, each once, and
-- stores the quiet time after a message by how it ends (conversation.quiet_ms, in the order of
-- p_end_odds, for the channel of the last message). Called when an answer is claimed, under the
-- conversation's lock, so an append only reads the result. It changes no timer, and reads the last 400
-- lines at most.
--
-- The pause after a message ends when the candidate begins to type (message.typed_at), or else with the
-- next message. It does not count if a reply came before the next message was begun, because that one
-- belongs to another answer; nobody types more than 10 characters a second. Pauses are learned anew on
-- another channel, because those of the page end at the first key. A correction is no pause.
--
--   p_enough: how many messages have to be known before there is a learned quiet time
create or replace function learn_quiet_time(
  p_conversation uuid, p_setting_ms float8, p_enough int, p_end_odds float8[]
) returns void language plpgsql as $$
declare
  known record;
  line record;
begin
  select c.paced_messages as messages, c.gaps, c.gap_mean as mean, c.gap_variance as variance,
    coalesce(c.paced_seq, 0) as seq, c.last_seq - 400 as oldest, null::text as channel
  into known from conversation c where c.id = p_conversation;
  for line in
    select m.seq, m.channel, m.channel <> m.earlier_channel as is_new_channel,
      case when m.channel = m.earlier_channel and not exists (
          select from turn t where t.conversation_id = p_conversation
            and t.replied_at > m.earlier_at and t.replied_at <= least(m.begun_at, m.ended_at))
        then extract(epoch from m.ended_at - m.earlier_at)::float8 * 1000 end as gap_ms
    from (
      select l.seq, l.channel, lag(l.channel) over w as earlier_channel,
        lag(l.received_at) over w as earlier_at,
        least(l.received_at, lag(l.typed_at) over w) as ended_at,
        -- An edit may have made the text longer than what was typed at first.
        l.received_at - interval '100 milliseconds' * case
          when l.content_type = 'TEXT' and l.edited_at is null then char_length(l.text) else 0 end
          as begun_at
      from message l
      where l.conversation_id = p_conversation and l.role = 'user' and l.amends is null
        and l.seq >= greatest(known.seq, known.oldest)
      window w as (order by l.seq)
    ) m
    where m.seq > known.seq
    order by m.seq
  loop
    if line.is_new_channel then
      known.messages := 0;
      known.gaps := 0;
    end if;
    if line.gap_ms is not null then
      known.variance := variance_with_gap(known.gaps, known.mean, known.variance, line.gap_ms);
      known.mean := mean_with_gap(known.gaps, known.mean, line.gap_ms);
      known.gaps := known.gaps + 1;
    end if;
    known.messages := known.messages + 1;
    known.seq := line.seq;
    known.channel := line.channel;
  end loop;
  -- Without a new message nothing changes.
  update conversation c set paced_messages = known.messages, gaps = known.gaps,
    gap_mean = known.mean, gap_variance = known.variance, paced_seq = known.seq,
    quiet_channel = case when known.messages >= p_enough then known.channel end,
    quiet_ms = case when known.messages >= p_enough then array(
      select quiet_time_ms(p_setting_ms, known.messages, known.gaps, known.mean, known.variance, e.odds)
      from unnest(p_end_odds) with ordinality as e (odds, n) order by e.n) end
  where c.id = p_conversation and known.channel is not null;
end $$;
