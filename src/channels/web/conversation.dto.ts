import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { isStorable } from '../../common/text';
import { MAX_PAGE } from '../../interview';

/** What candidates send. Every refusal here is `invalid_body`. */

function storable(max: number) {
  const wanted = `expected 1 to ${max} characters`;
  return z
    .string()
    .max(max, wanted)
    .refine((value) => value.trim() !== '', wanted)
    .refine(isStorable, 'expected text without NUL or broken characters');
}

/** What people write into a field; the spaces around it are not theirs. */
function field(max: number) {
  return z.string().trim().pipe(storable(max));
}

/** Of PostgreSQL's int. */
const MAX_SEQ = 2_147_483_647;

/** A client's own id comes back to it in every transcript: kept to the letter. */
export const clientId = storable(128);

/**
 * `mine`: "Yes, this is mine, and I agree" to the disclosure of that version. Needed where the
 * interview is open elsewhere.
 */
export class BeginBody extends createZodDto(
  z.object({ invite: field(128), mine: z.object({ version: field(40) }).optional() }),
) {}

export class ConsentBody extends createZodDto(
  z.object({ version: field(40), accepted: z.boolean() }),
) {}

export class ProfileBody extends createZodDto(
  z.object({ name: field(120).optional(), contact: field(200).optional() }),
) {}

/** The text itself is judged by the buffer, which every channel shares. */
export class MessageBody extends createZodDto(z.object({ id: clientId, text: z.string() })) {}

export class CorrectionBody extends createZodDto(z.object({ text: z.string() })) {}

/** `before`: an `olderCursor`. Without it the newest messages. */
export class PageQuery extends createZodDto(
  z.object({
    before: z.coerce.number().int().min(1).max(MAX_SEQ).optional(),
    limit: z.coerce.number().int().min(1).max(MAX_PAGE.lines).optional(),
  }),
) {}
/** PostgreSQL refuses numbers that are next to nothing. */
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
    /** What the file is called; the end of a longer name counts. */
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

/** Anything may stand there; only one word erases, and the refusal of the others is its own. */
export class ForgetBody extends createZodDto(
  z.object({ confirm: z.unknown().optional() }).catch({}),
) {}
