import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOkResponse } from '@nestjs/swagger';

/** Documents an endpoint that answers with a conversation's events. */
export function ApiEventStream(): MethodDecorator {
  return applyDecorators(
    ApiHeader({ name: 'last-event-id', required: false }),
    ApiOkResponse({
      description:
        'Events: hello, message, state, part, start, delta, finish; for a candidate `ended` as the ' +
        'last one when their session has ended, after which the stream closes for good',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    }),
  );
}
