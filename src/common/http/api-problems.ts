import { applyDecorators } from '@nestjs/common';
import { ApiDefaultResponse } from '@nestjs/swagger';

const PROBLEM = {
  type: 'object',
  description: 'Problem details (RFC 9457)',
  required: ['type', 'title', 'status', 'code'],
  properties: {
    type: { type: 'string', example: 'about:blank' },
    title: { type: 'string', description: 'For people; may change' },
    status: { type: 'integer' },
    code: { type: 'string', description: 'For programs; stable', example: 'consent_required' },
    detail: { type: 'string', description: 'Which fields, never their values' },
  },
};

/** Documents that every refusal of these endpoints is a problem document. */
export function ApiProblems(): ClassDecorator & MethodDecorator {
  return applyDecorators(
    ApiDefaultResponse({
      description: 'Any refusal; 429 and 503 carry Retry-After',
      content: { 'application/problem+json': { schema: PROBLEM } },
    }),
  );
}
