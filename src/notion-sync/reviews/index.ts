export { ReviewRequests, ReviewRequestsModule } from './review-requests';
