/**
 * Everything that is stored about a person, for that person. Field names are stable; `notes` says
 * what a name does not. Times become ISO 8601 in JSON. Nothing here opens a door: no hashes.
 */
export interface PersonalDataExport {
  readonly exportedAt: Date;
  /** What a field means whose name does not say it; in the language of the last conversation. */
  readonly notes: Readonly<Record<string, string>>;
  readonly profile: ProfileExport;
  readonly invitations: readonly InvitationExport[];
  readonly conversations: readonly ConversationExport[];
  /** By name, what channels keep of the person beside the conversations. */
  readonly holders: Readonly<Record<string, unknown>>;
}

export interface ProfileExport {
  readonly name: string | null;
  readonly contact: string | null;
  readonly telegramUsername: string | null;
  readonly createdAt: Date;
}

export interface InvitationExport {
  readonly vacancy: string;
  readonly company: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

export interface ConversationExport extends ConversationFacts {
  readonly transcript: readonly LineExport[];
  readonly turns: readonly TurnExport[];
  readonly modelRequests: readonly ModelRequestExport[];
  readonly deliveries: readonly DeliveryExport[];
  readonly attention: readonly AttentionExport[];
  readonly sessions: readonly { readonly createdAt: Date }[];
}

export interface ConversationFacts {
  readonly id: string;
  readonly vacancy: string;
  readonly company: string;
  readonly language: 'ru' | 'en';
  readonly status: string;
  readonly owner: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly consent: {
    readonly version: string;
    readonly accepted: boolean;
    readonly at: Date;
  } | null;
  readonly interviewStep: number;
  readonly agent: string;
  readonly progress: unknown;
  readonly metadata: unknown;
}

export interface LineExport {
  readonly seq: number;
  readonly role: 'user' | 'assistant' | 'system' | 'event';
  readonly channel: string;
  readonly channelId: string;
  readonly contentType: string;
  readonly text: string;
  readonly at: Date;
  readonly editedAt: Date | null;
  /** Which line it corrects. */
  readonly amendsSeq: number | null;
  readonly questionId: string | null;
  readonly turn: string | null;
  readonly beforeReply: boolean;
  readonly isPartial: boolean;
  readonly isFromPerson: boolean;
  readonly event: unknown;
  /** What came with the message beside its text, such as a photo; the channel holds the file. */
  readonly attachment: unknown;
  readonly voice: VoiceExport | null;
  readonly file: FileExport | null;
}

export interface VoiceExport {
  readonly type: string;
  readonly seconds: number | null;
  readonly bytes: number;
  readonly heard: string | null;
  /** Base64; null: nothing is kept of it, or the file would be too large with it. */
  readonly recording: string | null;
}

export interface FileExport {
  readonly name: string;
  readonly type: string | null;
  readonly bytes: number;
  readonly state: string;
  /** Base64; null: nothing is kept of it, or the export would be too large with it. */
  readonly content: string | null;
}

export interface TurnExport {
  readonly id: string;
  readonly state: string;
  readonly channel: string;
  readonly interviewStep: number;
  readonly agent: string | null;
  readonly verdict: string | null;
  readonly decision: unknown;
  readonly replyText: string | null;
  readonly isPartial: boolean;
  readonly error: string | null;
  readonly startedAt: Date;
  readonly answeredAt: Date | null;
  readonly completedAt: Date | null;
}

export interface ModelRequestExport {
  readonly turn: string;
  readonly purpose: string;
  readonly model: string;
  readonly sentAt: Date;
}

export interface DeliveryExport {
  readonly kind: string;
  readonly channel: string;
  readonly chat: string;
  readonly lineSeq: number;
  readonly part: number;
  readonly state: string;
  readonly isConfirmed: boolean;
  readonly sentAt: Date | null;
}

export interface AttentionExport {
  readonly kind: string;
  readonly reason: string;
  readonly createdAt: Date;
  readonly closedAt: Date | null;
  readonly resolution: string | null;
}
