/**
 * What belongs to a reply beside its text, in the order in which it happened: who speaks, a tool
 * that is called, and what it gave. Plain data, as clients get it.
 */
export type ReplyPart =
  | { readonly type: 'agent'; readonly agent: string }
  | {
      readonly type: 'call';
      readonly callId: string;
      readonly tool: string;
      readonly input: unknown;
    }
  | { readonly type: 'result'; readonly callId: string; readonly output: unknown };

/** The parts of a reply that `agent` begins (null: unknown); an agent who goes on is told once. */
export function partsOf(agent: string | null, events: readonly ReplyPart[]): ReplyPart[] {
  const first: ReplyPart[] = agent === null ? [] : [{ type: 'agent', agent }];
  const parts: ReplyPart[] = [];
  let speaking: string | null = null;
  for (const part of [...first, ...events]) {
    if (part.type === 'agent' && part.agent === speaking) continue;
    if (part.type === 'agent') speaking = part.agent;
    parts.push(part);
  }
  return parts;
}

/** As SQL, the events of a turn as clients get them; `turnId` names its id in the statement. */
export function eventsOfTurn(turnId: string): string {
  return `coalesce((
    select json_agg(e.event - 'passages' order by e.seq)
    from message e where e.turn_id = ${turnId} and e.role = 'event'), '[]')`;
}
