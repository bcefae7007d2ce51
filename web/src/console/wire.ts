/** What `GET /api/v1/admin/conversations/:id/transcript` returns, as far as the page reads it. */
import type { Language, WireFile } from '../api/wire';

/** What a message was read as: questions by their place in the plan, lines by their number. */
export interface LineLabel {
  name: 'answer' | 'addition' | 'correction' | 'question' | 'aside';
  question: number | null;
  corrects: number | null;
  touches: { question: number; askedIn: number | null }[];
}

export interface TranscriptLine {
  id: string;
  seq: number;
  /** Its place in the whole transcript, from 1. */
  number: number;
  role: 'user' | 'assistant' | 'system';
  /** A person of the hiring team wrote it, not the model. */
  isFromPerson: boolean;
  channel: string;
  text: string;
  at: string;
  editedAt: string | null;
  amendsNumber: number | null;
  isPartial: boolean;
  /** Who wrote it, if the candidate only passed it on. */
  author: { how: 'forwarded' | 'bot'; name: string | null } | null;
  repliesTo?: { number: number | null; quote: string | null } | null;
  attachment: string | null;
  voice: { durationS: number | null; hasAudio: boolean } | null;
  file: WireFile | null;
  label: LineLabel | null;
  /** Of a reply that a model wrote. */
  origin: { model: string | null; isFallback?: boolean; prompt: string } | null;
  /** The number of the line that had touched on the question which this line asks. */
  touchedIn: number | null;
}

export interface Transcript {
  conversationId: string;
  language: Language;
  company: string;
  vacancy: string;
  candidate: { name: string | null; contact: string | null };
  status: 'new' | 'declined' | 'active' | 'completed' | 'withdrawn' | 'handed_over' | 'expired';
  beganAt: string | null;
  completedAt: string | null;
  coverage: { counted: 'must-ask' | 'all'; of: number; asked: number; answered: number };
  lines: TranscriptLine[];
  /** Asks for what is older; null: these are the first lines. */
  olderCursor: number | null;
}
