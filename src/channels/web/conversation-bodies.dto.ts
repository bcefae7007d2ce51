import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { isStorable } from '../../common/text';
import { MAX_PAGE } from '../../interview';

/** The bodies and queries of the candidate API. A body that is refused here is `invalid_body`. */

function storable(max: number) {
  const wanted = `expected 1 to ${max} characters`;
  return z
    .string()
    .max(max, wanted)
    .refine((value) => value.trim() !== '', wanted)
    .refine(isStorable, 'expected text without NUL or broken characters');
}

/** A field that people fill in; spaces around the text are removed. */
function field(max: number) {
  return z.string().trim().pipe(storable(max));
}

/** It names each notice of the vacancy, so it grows with them. */
const disclosureVersion = field(400);

/** The largest int of PostgreSQL. */
const MAX_SEQ = 2_147_483_647;

/** A client's own id, stored unchanged, because every transcript returns it to the client. */
export const clientId = storable(128);

/**
 * `mine`: the person confirms that the interview is theirs and agrees to the disclosure of that
 * version. Required when the interview is open elsewhere.
 */
export class BeginBody extends createZodDto(
  z.object({ invite: field(128), mine: z.object({ version: disclosureVersion }).optional() }),
) {}

export class ConsentBody extends createZodDto(
  z.object({
    version: disclosureVersion,
    accepted: z.boolean(),
    timeZone: field(60)
      .optional()
      .describe(
        "The browser's time zone (IANA), so that no reminder comes at night. One that this server does not know is left out.",
      ),
  }),
) {}

export class ProfileBody extends createZodDto(
  z.object({ name: field(120).optional(), contact: field(200).optional() }),
) {}

/** The buffer checks the text, for all channels alike. */
export class MessageBody extends createZodDto(z.object({ id: clientId, text: z.string() })) {}

export class CorrectionBody extends createZodDto(z.object({ text: z.string() })) {}

/** `before`: an `olderCursor`; without it the newest messages are returned. */
export class PageQuery extends createZodDto(
  z.object({
    before: z.coerce.number().int().min(1).max(MAX_SEQ).optional(),
    limit: z.coerce.number().int().min(1).max(MAX_PAGE.lines).optional(),
  }),
) {}

/** PostgreSQL refuses numbers that are too close to zero. */
const toMillis = (durationS: number): number => Math.round(durationS * 1000) / 1000;

export class VoiceQuery extends createZodDto(
  z.object({
    id: clientId,
    /** Its length in seconds, as the recorder measured it. */
    duration: z.coerce.number().min(0).max(86_400).overwrite(toMillis).optional(),
  }),
) {}

export class FileQuery extends createZodDto(
  z.object({
    id: clientId,
    /** The file's name; of a longer name the end is used. */
    name: z
      .string()
      .max(1000, 'expected at most 1000 characters')
      .refine(isStorable, 'expected text without NUL or broken characters')
      .default(''),
  }),
) {}

export class ActivityBody extends createZodDto(
  z.object({ type: z.enum(['typing', 'recording']) }),
) {}

/** `lastMessageId`: the client's own id of the last message that was acknowledged. */
export class DoneBody extends createZodDto(
  z.object({ lastMessageId: clientId.optional() }).prefault({}),
) {}

/** Any value is accepted here: the controller refuses a wrong word with its own problem code. */
export class ForgetBody extends createZodDto(
  z.object({ confirm: z.unknown().optional() }).catch({}),
) {}
