// Placeholder until the command lands.
@main enum Freshet { static func main() {} }
