import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

function text(max: number) {
  return z
    .string()
    .trim()
    .min(1, `expected 1 to ${max} characters`)
    .max(max, `expected 1 to ${max} characters`)
    .refine((value) => !UNSTORABLE.test(value), 'expected text without NUL or broken characters');
}

export class BeginBody extends createZodDto(z.object({ invite: text(128) })) {}

export class ConsentBody extends createZodDto(
  z.object({ version: text(40), accepted: z.boolean() }),
) {}

export class ProfileBody extends createZodDto(
  z.object({ name: text(120).optional(), contact: text(200).optional() }),
) {}

/** The text itself is judged by the buffer, which every channel shares. */
export class MessageBody extends createZodDto(
  z.object({ id: text(128), text: z.string().max(1_000_000) }),
) {}

export class ActivityBody extends createZodDto(
  z.object({ type: z.enum(['typing', 'recording']) }),
) {}
