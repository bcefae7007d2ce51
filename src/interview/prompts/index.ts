export { type InterviewPrompt, buildInterviewRequest } from './interview-request';
