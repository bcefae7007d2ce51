import type { MessageRow } from '../../../persistence';

/** One line of the transcript as the page gets it. */
export interface MessageJson {
  readonly id: string;
  readonly clientId: string | null;
  readonly seq: number;
  readonly role: MessageRow['role'];
  readonly text: string;
  readonly createdAt: string;
  readonly partial?: true;
}

export function messageJson(line: MessageRow): MessageJson {
  return {
    id: line.id,
    clientId: line.channel === 'web' ? line.externalId : null,
    seq: line.seq,
    role: line.role,
    text: line.text,
    createdAt: line.receivedAt.toISOString(),
    ...(line.partial ? { partial: true as const } : {}),
  };
}
