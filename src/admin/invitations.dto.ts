import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { isStorable } from '../common/text';
import { INTERVIEW_STATES, INVITATION_STATES } from '../invitations';

export const invitation = z.object({
  id: z.string(),
  vacancy: z.string().describe('The slug.'),
  candidate: z.object({
    id: z.string(),
    name: z.string().nullable(),
    contact: z.string().nullable(),
  }),
  state: z
    .enum(INVITATION_STATES)
    .describe('opened: there is an interview; revoked: also when it was issued again.'),
  interviewId: z.string().nullable(),
  interviewState: z
    .enum(INTERVIEW_STATES)
    .nullable()
    .describe('opened: the candidate has not agreed yet. Null: there is no interview.'),
  isLatest: z.boolean().describe('It can be issued again; false: a later one has taken its place.'),
  externalId: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).describe('As it was given.'),
  createdAt: z.iso.datetime(),
  validUntil: z.iso.datetime(),
});

export class InvitationDto extends createZodDto(invitation) {}

export class NewInvitationDto extends createZodDto(
  invitation.extend({
    link: z
      .object({ web: z.string(), telegram: z.string().nullable(), pin: z.string() })
      .describe('Shown in this response only. `telegram` null: no bot runs.'),
  }),
) {}

export class InvitationListDto extends createZodDto(
  z.object({
    items: z.array(invitation),
    cursor: z.string().nullable().describe('For the next page; null: this is the last one.'),
  }),
) {}

const MAX_TEXT = 2000;
const field = z.string().max(MAX_TEXT).optional();

export class InvitationCreateDto extends createZodDto(
  z.strictObject({
    name: field,
    firstName: field,
    middleName: field,
    lastName: field,
    email: field,
    phone: field,
    telegram: field.describe('A user name, or a link of t.me'),
    contact: field.describe('In place of `email` and `phone`, or beside them'),
    externalId: field.describe('Your own id: a vacancy has one invitation with it'),
    validUntil: field.describe('The last day, or a time; 14 days without it'),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Returned as it is; up to 8 KB'),
  }),
) {}

export class ReissueDto extends createZodDto(z.strictObject({ validUntil: field })) {}

const MAX_PAGE = 100;
const MAX_SEARCH = 200;

export class InvitationsQueryDto extends createZodDto(
  z.object({
    state: z.enum(INVITATION_STATES).optional(),
    vacancy: z.string().min(1).max(100).refine(isStorable).optional().describe('A slug'),
    text: z
      .string()
      .trim()
      .min(1)
      .max(MAX_SEARCH)
      .refine(isStorable, 'no NUL and no broken characters')
      .optional()
      .describe('How words of the name begin, or an external id'),
    cursor: z.uuid().optional(),
    limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(50),
  }),
) {}
