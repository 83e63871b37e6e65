# Writes to Redmine until the file `stop` is there: projects with issues, notes, hours and pages. What is committed is told, and what
# fails.
told, stop = ARGV
ActionMailer::Base.perform_deliveries = false
User.current = User.find_by_login('admin')
out = File.open(told, 'a')
out.sync = true
tell = ->(row) { out.puts("#{row.class.table_name} #{row.id}") }
n = 0
until File.exist?(stop)
  sleep(0.5) # as users do between requests
  begin
    name = "p#{Process.pid}-#{n += 1}"
    project = Project.create!(name: name, identifier: name, trackers: Tracker.all,
      enabled_module_names: %w[issue_tracking time_tracking wiki])
    tell.(project)
    issues = Array.new(3) do |i|
      issue = Issue.create!(project: project, tracker: Tracker.first, author: User.current, assigned_to: User.current,
        subject: "#{name}-#{i}", priority: IssuePriority.first)
      tell.(issue)
      issue
    end
    child = Issue.create!(project: project, tracker: Tracker.first, author: User.current, subject: 'child', priority: IssuePriority.first,
      parent_issue_id: issues.first.id)
    tell.(child)
    issues.each do |issue|
      issue.reload.init_journal(User.current, 'a note')
      issue.status = IssueStatus.last
      issue.save!
      tell.(issue.journals.last)
    end
    tell.(IssueRelation.create!(issue_from: issues[1], issue_to: issues[2], relation_type: 'relates'))
    tell.(TimeEntry.create!(project: project, issue: child, user: User.current, author: User.current, hours: 1,
      activity: TimeEntryActivity.first, spent_on: Date.today))
    page = WikiPage.new(wiki: project.reload.wiki, title: 'Start')
    page.content = WikiContent.new(page: page, text: 'text', author: User.current)
    page.save_with_content(page.content) or raise page.errors.full_messages.join
    tell.(page)
    found = Issue.where(project_id: project.id).includes(:journals, :time_entries, :author).to_a
    raise "#{found.size} issues" unless found.size == 4 && found.all? { |issue| issue.author == User.current }
  rescue StandardError => e
    out.puts("failed #{e.class}: #{e.message}".tr("\n", ' '))
  end
end
