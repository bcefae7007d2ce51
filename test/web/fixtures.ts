/** Shapes of the candidate API for the page's unit tests. */
import type { ConversationView, WireMessage } from '../../web/src/api/wire';

export function aMessage(seq: number, facts: Partial<WireMessage> = {}): WireMessage {
  return {
    id: `m${String(seq)}`,
    clientId: null,
    seq,
    role: 'assistant',
    text: `message ${String(seq)}`,
    createdAt: '2026-01-01T10:00:00Z',
    ...facts,
  };
}

export function aView(facts: Partial<ConversationView> = {}): ConversationView {
  return {
    id: 'conversation',
    status: 'active',
    language: 'en',
    company: 'Northwind',
    vacancyTitle: 'Engineer',
    progress: { question: 1, of: 7 },
    disclosure: { version: 'v1', text: 'You talk to an AI.' },
    consent: { version: 'v1', accepted: true, at: '2026-01-01T10:00:00Z' },
    profile: { name: 'Maria', contact: 'maria@example.org', needed: [] },
    hasBuffer: false,
    replying: false,
    limits: { maxMessageChars: 16_000 },
    messages: [],
    ...facts,
  };
}
